"""Random histories of several clones, with processes that die, full disks and clocks that jump."""
