"""The queue of coupons with work left: each message continues with one coupon."""

from storepost.coupons.messages import CouponMessage
from storepost.coupons.worker import resume
from storepost.platform.jobs.batches import fifo_queue_handler, job

lambda_handler = fifo_queue_handler(job(CouponMessage, resume))
