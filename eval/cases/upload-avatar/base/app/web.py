def routes(app):
    pass
