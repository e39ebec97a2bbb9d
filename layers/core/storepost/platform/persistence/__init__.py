"""DynamoDB: the only place, beside the slices' repositories, that knows it."""
