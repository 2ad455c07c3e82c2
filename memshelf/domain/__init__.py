"""Values and pure functions: no clock, no disk, no environment, no git, no templates."""
