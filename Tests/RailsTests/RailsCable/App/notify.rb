# A Rails app whose Action Cable broadcasts through PostgreSQL's NOTIFY: ruby notify.rb FOLDER DATABASE PREFIX. Each line of
# its input is a stream and a text with a tab between, or a stream alone, whose channel it prints instead.
require "logger"
require "rails"
require "active_record/railtie"
require "action_cable/engine"

folder, database, prefix = ARGV
Dir.mkdir("#{folder}/config") unless Dir.exist?("#{folder}/config")
cable = { "adapter" => "postgresql" }
cable["channel_prefix"] = prefix unless prefix.empty?
File.write("#{folder}/config/cable.yml", { "production" => cable }.to_yaml)
File.write("#{folder}/config/database.yml", { "production" => { "url" => database } }.to_yaml)

ENV["RAILS_ENV"] = "production"
class Shop < Rails::Application
  config.load_defaults 6.1
  config.root = ARGV[0]
  config.eager_load = false
  config.logger = Logger.new(nil)
  config.secret_key_base = "x" * 64
end
Shop.initialize!

server = ActionCable.server
STDOUT.sync = true
puts "Rails #{Rails.version}, #{ActiveRecord::Base.connection.adapter_name}"
STDIN.each_line(chomp: true) do |line|
  stream, text = line.split("\t", 2)
  if text
    begin
      server.broadcast(stream, text)
      puts "sent"
    rescue => error
      puts "#{error.class}: #{error.message.lines.first}"
    end
  else
    adapter = server.pubsub
    puts adapter.send(:channel_identifier, adapter.send(:channel_with_prefix, stream))
  end
end
