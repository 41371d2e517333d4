class Base
  def self.before(method, only: nil, except: nil); end

  def require_admin
    halt 403 unless current.admin?
  end
end
