"""The configurations of agents' programs: what stands in them, and what should; texts in and out."""
