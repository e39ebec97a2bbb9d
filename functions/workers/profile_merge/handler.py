"""The queue of merged profiles: moves their rows to the profiles that answer for them."""

from storepost.lifecycle.merges.pending_sources import absorb
from storepost.people.profiles.messages import ProfileMergeMessage
from storepost.platform.jobs.batches import job, queue_handler

lambda_handler = queue_handler(job(ProfileMergeMessage, absorb))
