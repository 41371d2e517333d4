# Pages about accounts, for admins.
class Accounts < Base
  before :require_admin, except: %i[export]

  def index
    render Account.all
  end

  def export
    rows = Account.all.map { |account| [account.id, account.email, account.password_digest] }
    send_data rows.map { |row| row.join(",") }.join("\n"), filename: params[:name]
  end
end
