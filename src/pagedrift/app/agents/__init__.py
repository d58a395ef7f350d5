"""Tools for agents: the installation's watches and changes, and questions about pages, over MCP."""
