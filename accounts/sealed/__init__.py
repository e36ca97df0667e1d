"""What the sealed records share: their shape, their ledgers, who reads them and how they end."""
