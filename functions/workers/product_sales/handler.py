"""The queue of orders whose products are to be counted as sold."""

from storepost.orders.messages import ProductSalesMessage
from storepost.overview.product_sales.counting import count_order
from storepost.platform.jobs.batches import job, queue_handler

lambda_handler = queue_handler(job(ProductSalesMessage, count_order))
