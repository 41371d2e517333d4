class Mailer
  def deliver(to:, subject:, html:)
    raise NotImplementedError
  end
end
