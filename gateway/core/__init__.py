"""The core: values, errors, XML, addresses and settings, which everything else may use."""
