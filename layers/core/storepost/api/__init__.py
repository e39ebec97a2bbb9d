"""How a request comes in and is answered: the resolver, and the service about itself."""
