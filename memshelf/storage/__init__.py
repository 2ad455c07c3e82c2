"""The only rooms that touch the world: files, git, locks, caches."""
