"""Clients of AWS's services in the stack's region."""

import os
from typing import Any

import boto3


def client_of(service: str) -> Any:  # noqa: ANN401 - botocore's clients have no static type
    """Returns a client in the region that `AWS_REGION` names, else in boto3's own choice.

    boto3 itself reads only `AWS_DEFAULT_REGION`, while the AWS CLI prefers `AWS_REGION`.
    """
    return boto3.client(service, region_name=os.environ.get("AWS_REGION"))  # type: ignore[call-overload]
