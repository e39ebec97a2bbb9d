"""The whole service in containers, over HTTP: what no test in one process can show."""
