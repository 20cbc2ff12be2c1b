std = "lua54"
max_line_length = 120
files["spec"] = { std = "+busted" }
files["spec/run.lua"] = { globals = { "arg" } }
files["rockspec"] = { std = "+rockspec" }
exclude_files = { "build*" }
-- It does not know that a <close> variable is used by its going away.
files["lua/dotcompute/api.lua"] = { ignore = { "211/before" } }
