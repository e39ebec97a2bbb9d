"""Coupons whose codes are discounts on Shopify."""
