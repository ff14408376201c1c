"""From the call of a public function to a recorded step: declarations, arguments, conversions, dispatch."""
