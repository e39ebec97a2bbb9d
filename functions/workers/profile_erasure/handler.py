"""The queue of erased profiles: removes what they left."""

from storepost.lifecycle.erasures.erasing import erase
from storepost.lifecycle.erasures.messages import ProfileErasureMessage
from storepost.platform.jobs.batches import job, queue_handler

lambda_handler = queue_handler(job(ProfileErasureMessage, erase))
