# What stands around the blocks of an app on Rails: Debian's Action Cable and Action View, and turbo-rails' one helper.
# Reads {"kind": "ruby" or "erb", "before": [blocks of Ruby], "text"} and prints what the template renders.
require 'json'
require 'base64'
require 'net/http'
require 'active_support/all'
require 'action_view'
require 'action_cable/engine'

class User < Struct.new(:id)
  def to_gid_param = Base64.urlsafe_encode64("gid://shop/User/#{id}", padding: false)
  def to_key = [id]
  def model_name = Struct.new(:param_key).new('user')
end
class Current
  def self.user = User.new(42)
end

# https://github.com/hotwired/turbo-rails: app/channels/turbo/streams, app/helpers/turbo/streams_helper.rb.
module Turbo
  module StreamsChannel
    KEY = ActiveSupport::KeyGenerator.new(ENV.fetch('SECRET_KEY_BASE', 'x'), iterations: 1000)
    VERIFIER = ActiveSupport::MessageVerifier.new(
      KEY.generate_key('turbo/signed_stream_verifier_key'), digest: 'SHA256', serializer: JSON
    )
    def self.name_of(parts) = parts.map { |each| each.respond_to?(:to_gid_param) ? each.to_gid_param : each }.join(':')
    def self.signed_stream_name(parts) = VERIFIER.generate(name_of(Array(parts)))
  end

  module StreamsHelper
    def turbo_stream_from(*streamables, **attributes)
      attributes[:channel] = 'Turbo::StreamsChannel'
      attributes[:'signed-stream-name'] = StreamsChannel.signed_stream_name(streamables)
      tag.turbo_cable_stream_source(**attributes)
    end
  end
end

class Page < ActionView::Base
  include ActionCable::Helpers::ActionCableHelper
  include Turbo::StreamsHelper
  def since = ENV.fetch('SINCE')
end

def config = ActionCable::Engine.config

request = JSON.parse($stdin.read)
request['before'].each { |text| eval(text) }
if request['kind'] == 'erb'
  # As the engine does when the app starts.
  ActionCable.server.config.url = config.action_cable.url
  view = Page.with_empty_template_cache.with_view_paths([], {})
  puts view.render(inline: request['text'], type: :erb)
else
  result = eval(request['text'])
  abort "answered #{result.code}: #{result.body}" if result.is_a?(Net::HTTPResponse) && result.code >= '400'
end
