"""The queue of work on a store's products: names of many variants, changes of its rules."""

from storepost.catalog.priorities.worker import run_job
from storepost.catalog.products.jobs import Job
from storepost.platform.jobs.batches import job, queue_handler

lambda_handler = queue_handler(job(Job, run_job))
