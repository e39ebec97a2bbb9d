"""Tests of the search's postings, in rows and in pages."""
