class Invite
  attr_reader :email, :team

  def initialize(email:, team:)
    @email = email
    @team = team
  end
end
