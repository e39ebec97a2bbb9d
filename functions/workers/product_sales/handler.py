"""The queue of orders whose products are to be counted as sold."""

from storepost.orders.messages import ProductSalesMessage
from storepost.overview.product_sales.counting import count_orders
from storepost.platform.jobs.batches import joint_queue_handler

lambda_handler = joint_queue_handler(ProductSalesMessage, count_orders)
