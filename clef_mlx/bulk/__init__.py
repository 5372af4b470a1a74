"""Long work that may be interrupted: many requests, an answer kept for each, none of them lost or made twice."""
