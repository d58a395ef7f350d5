"""Does a change matter: should an archive keep this version, should a person be told?"""
