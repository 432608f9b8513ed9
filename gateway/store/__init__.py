"""The store: the protocols (`base`), and SQLite behind them."""
