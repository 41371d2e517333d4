require "openssl"

class Signature
  def initialize(secret)
    @secret = secret
  end
end
