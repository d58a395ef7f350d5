"""Where are watches, versions and answers kept?"""
