class Clean
  def up
    execute "delete from sessions"
    execute "delete from accounts where closed_at < now()"
  end
end
