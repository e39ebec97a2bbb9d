"""The queue of events on their way to webhook endpoints: each message is a first attempt."""

from storepost.platform.jobs.batches import fifo_queue_handler, job
from storepost.webhooks.deliveries.messages import DeliveryMessage
from storepost.webhooks.deliveries.worker import deliver

lambda_handler = fifo_queue_handler(job(DeliveryMessage, deliver))
