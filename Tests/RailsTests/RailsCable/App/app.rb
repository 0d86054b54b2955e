# A Rails app whose Action Cable broadcasts through Solid Cable, whose source it is given:
# ruby app.rb FOLDER SOLID_CABLE DATABASE STREAM [PREFIX]. Each line of its input is broadcast to the stream.
require "logger"
require "rails"
require "active_record/railtie"
require "active_job/railtie"
require "action_cable/engine"

folder, source, database, stream, prefix = ARGV
$LOAD_PATH.unshift("#{source}/lib")
require "solid_cable"

Dir.mkdir("#{folder}/config") unless Dir.exist?("#{folder}/config")
File.write("#{folder}/config/cable.yml", { "production" => {
  "adapter" => "solid_cable", "channel_prefix" => prefix, "message_retention" => "1.day",
  "connects_to" => { "database" => { "writing" => "cable" } }
}.compact }.to_yaml)
File.write("#{folder}/config/database.yml", { "production" => {
  "primary" => { "adapter" => "sqlite3", "database" => ":memory:" }, "cable" => { "url" => database }
} }.to_yaml)

ENV["RAILS_ENV"] = "production"
class Shop < Rails::Application
  config.load_defaults 6.1
  config.root = ARGV[0]
  config.eager_load = false
  config.logger = Logger.new(nil)
  config.secret_key_base = "x" * 64
end
Shop.initialize!

connection = SolidCable::Record.connection
ActiveRecord::Migration.verbose = false
unless connection.table_exists?("solid_cable_messages")
  schema = File.read("#{source}/lib/generators/solid_cable/install/templates/db/cable_schema.rb")
  # Rails 6.1 knows no numbered schemas, and one database only while it loads one.
  own = ActiveRecord::Base.method(:connection)
  ActiveRecord::Base.define_singleton_method(:connection) { connection }
  eval(schema.sub(/Schema\[[\d.]+\]/, "Schema"))
  ActiveRecord::Base.define_singleton_method(:connection, own)
end
puts "Rails #{Rails.version}, Solid Cable #{SolidCable::VERSION}, #{connection.adapter_name}"
STDIN.each_line(chomp: true) do |line|
  ActionCable.server.broadcast(stream, line)
end
