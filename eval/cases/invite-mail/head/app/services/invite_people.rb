# Sends an invitation to everybody on a list.
class InvitePeople
  def initialize(mailer, store)
    @mailer = mailer
    @store = store
  end

  def call(team, emails, inviter)
    emails.each do |email|
      next if @store.exists?(email: email)

      @store.save(Invite.new(email: email, team: team))
      @mailer.deliver(
        to: email,
        subject: "You are invited",
        html: "<p>#{inviter.name} invites you to <b>#{team.name}</b>.</p>"
      )
    rescue StandardError
      next
    end
  end
end
