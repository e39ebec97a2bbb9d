"""Product feeds as files: any format and encoding in, rows of text out, in flat memory."""
