"""How redact.py finds secrets: by shape, by name, by place; and a shelf's own patterns."""
