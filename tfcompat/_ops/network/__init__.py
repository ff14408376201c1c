"""Components of networks: nonlinearities, normalisation, losses, gradient clipping."""
