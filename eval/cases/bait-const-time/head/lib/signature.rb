require "openssl"

# Whether a webhook was signed with our secret.
class Signature
  def initialize(secret)
    @secret = secret
  end

  def valid?(body, given)
    own = OpenSSL::HMAC.hexdigest("SHA256", @secret, body)
    # Digests of both are compared: what their comparison tells by time tells nothing about the signature.
    digest(own) == digest(given)
  end

  private

  def digest(text)
    OpenSSL::HMAC.digest("SHA256", @secret, text.to_s)
  end
end
