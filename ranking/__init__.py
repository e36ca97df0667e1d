"""Text and vector arithmetic without domain words: tokens, BM25, fusion, similarity."""
