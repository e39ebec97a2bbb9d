"""The queue of deleted accounts: removes what they left."""

from storepost.accounts.me.erasure import erase
from storepost.accounts.me.messages import AccountErasureMessage
from storepost.platform.jobs.batches import job, queue_handler

lambda_handler = queue_handler(job(AccountErasureMessage, erase))
