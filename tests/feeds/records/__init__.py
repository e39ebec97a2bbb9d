"""What a feed's rows say."""
