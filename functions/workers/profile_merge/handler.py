"""The queue of merged profiles: what they had is moved to those that answer for them."""

from storepost.lifecycle.merges.pending_sources import absorb
from storepost.people.profiles.messages import ProfileMergeMessage
from storepost.platform.jobs.batches import job, queue_handler

lambda_handler = queue_handler(job(ProfileMergeMessage, absorb))
