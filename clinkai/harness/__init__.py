"""What makes a turn a product: sessions, settings, policy, tools, the agent."""
