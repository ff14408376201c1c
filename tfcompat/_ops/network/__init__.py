"""What networks are made of: nonlinearities, normalisations, losses, limits of gradients."""
