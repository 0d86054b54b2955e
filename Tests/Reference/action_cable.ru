# The real Action Cable, with the channel of turbo-rails and the route of Paycast by which a test publishes.
require 'logger'
require 'json'
require 'active_support'
require 'action_cable/engine'
require 'action_cable'

config = ActionCable.server.config
config.logger = Logger.new(IO::NULL)
config.cable = { 'adapter' => 'async' }.with_indifferent_access
config.mount_path = '/cable'
config.allow_same_origin_as_host = true
# One worker: commands of a socket are answered in their order, so that a test can wait for the last answer.
config.worker_pool_size = 1
# One thread for the broadcasts too: of Rails' ten, a later broadcast may overtake an earlier one.
ActionCable::Connection::StreamEventLoop.prepend(Module.new do
  def initialize
    super
    @executor = Concurrent::SingleThreadExecutor.new
  end
end)

VERIFIER = ActiveSupport::MessageVerifier.new(ENV.fetch('PAYCAST_STREAM_KEYS'), digest: 'SHA256', serializer: JSON)

module ApplicationCable
  class Connection < ActionCable::Connection::Base; end
end

module Turbo
  class StreamsChannel < ActionCable::Channel::Base
    def subscribed
      name = VERIFIER.verified(params[:signed_stream_name])
      name ? stream_from(name) : reject
    end
  end
end
config.connection_class = -> { ApplicationCable::Connection }

map '/broadcasts' do
  run lambda { |env|
    message = JSON.parse(env['rack.input'].read)
    ActionCable.server.broadcast(message['stream'], message['html'])
    [202, { 'Content-Type' => 'application/json' }, ['{}']]
  }
end
map '/restart' do
  run ->(_) { ActionCable.server.restart; [202, { 'Content-Type' => 'application/json' }, ['{}']] }
end
map('/cable') { run ActionCable.server }
