"""The commands of the documents, typed as readers type them, where this machine can."""
