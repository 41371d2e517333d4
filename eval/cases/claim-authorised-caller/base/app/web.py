def routes(app, accounts):
    @app.post("/accounts/<account_id>/close")
    def close(request, account_id):
        accounts.close(request.user, account_id)
        return 204
