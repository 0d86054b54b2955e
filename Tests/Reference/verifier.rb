# ActiveSupport's signer, a JSON request a line: {"op": "sign" or "verify", "text", "secret": {"key"} or {"base", "hash"}, …}.
require 'json'
require 'openssl'
require 'active_support'
require 'active_support/key_generator'
require 'active_support/message_verifier'
require 'active_support/core_ext/time'

SALT = 'turbo/signed_stream_verifier_key'
KEYS = Hash.new do |keys, secret|
  keys[secret] =
    if secret['key']
      secret['key']
    elsif secret['hash'] == 'SHA1'
      ActiveSupport::KeyGenerator.new(secret['base'], iterations: 1000).generate_key(SALT, 64)
    else
      # The generator of Rails 6.1 knows SHA-1 alone; this is what that of 7.0 does.
      OpenSSL::KDF.pbkdf2_hmac(secret['base'], salt: SALT, iterations: 1000, length: 64, hash: 'SHA256')
    end
end

$stdout.sync = true
$stdin.each_line do |line|
  request = JSON.parse(line)
  verifier = ActiveSupport::MessageVerifier.new(KEYS[request['secret']], digest: 'SHA256', serializer: JSON)
  answer =
    if request['op'] == 'sign'
      expiry = request['expires_at'] && Time.at(request['expires_at'])
      verifier.generate(request['text'], expires_at: expiry, purpose: request['purpose'])
    else
      verifier.verified(request['text'], purpose: request['purpose'])
    end
  puts JSON.generate(answer)
end
