"""A Shopify for the tests here that need one."""

from tests.shopify.conftest import shopify, shopify_server

__all__ = ["shopify", "shopify_server"]
