"""The process around the recorder: settings, counters, devices, errors, locks, threads, lines of the user's code."""
