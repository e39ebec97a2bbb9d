"""The local run: AWS in moto, the gateway, the pumps. Nothing here is deployed."""
