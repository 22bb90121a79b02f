# Reads URLs as URI.parse does, without default ports. An opaque part is divided at its question mark, and the user
# information at its colon.
require "json"
require "uri"

def read_uri(text)
  u = URI.parse(text)
  user, password = u.userinfo&.split(":", 2)
  user ||= "" if u.userinfo
  path, query = u.path, u.query
  path, query = u.opaque.split("?", 2) if u.opaque
  port = u.port&.to_s unless u.port == u.default_port
  [u.scheme, user, password, u.host, port, path, query, u.fragment]
rescue URI::Error
  nil
end

def answers(texts)
  software = "Ruby #{RUBY_VERSION}, URI #{URI::VERSION}, URI.parse"
  [software, *texts.each_line.map { |line| read_uri(JSON.parse(line)) }].map { |a| JSON.generate(a) + "\n" }.join
end
