-- Types in Neovim as a user does, and writes what it shows to the file $TOOLGEN_SHOWN as JSON.
vim.o.termguicolors = true
vim.o.columns = 110
vim.o.lines = 18
vim.o.wrap = false
vim.cmd("highlight SignColumn guibg=NONE")

local shown = {}

local function wait(condition)
  assert(vim.wait(20000, condition, 20), "nothing came")
end

local function line_of(pattern)
  return vim.fn.search(pattern, "nw") - 1
end

local function request(method, line, character, more)
  local params = vim.tbl_extend("force", {
    textDocument = vim.lsp.util.make_text_document_params(),
    position = { line = line, character = character },
  }, more or {})
  for _, answer in pairs(assert(vim.lsp.buf_request_sync(0, method, params, 20000))) do
    return answer.result
  end
end

local function text()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
end

local function cells()
  local rows = {}
  for row = 0, vim.o.lines - 1 do
    local line = {}
    for column = 0, vim.o.columns - 1 do
      local cell = vim.api.nvim__inspect_cell(1, row, column)
      local style = cell[2] or {}
      local marked = (style.underline or style.undercurl) and 1 or 0
      table.insert(line, { cell[1] or "", style.foreground or -1, style.background or -1, marked })
    end
    table.insert(rows, line)
  end
  return rows
end

local function write()
  local file = assert(io.open(vim.env.TOOLGEN_SHOWN, "w"))
  file:write(vim.fn.json_encode(shown))
  file:close()
  vim.cmd("qall!")
end

local function drive()
  vim.cmd("edit specs/place_order.yaml")
  wait(function() return #vim.diagnostic.get(0) > 0 end)
  shown.diagnostics = vim.tbl_map(function(each)
    return { each.lnum, each.col, each.end_col, each.code, each.message }
  end, vim.diagnostic.get(0))
  shown.definition = request("textDocument/definition", line_of("ref:"), 20)
  vim.cmd("%s/^titel/title/")
  wait(function() return #vim.diagnostic.get(0) == 0 end)
  vim.lsp.buf.formatting_sync(nil, 20000)
  shown.formatted = text()
  vim.cmd("wall")
  vim.cmd("%s/^title/titel/")
  vim.api.nvim_buf_set_lines(0, -1, -1, false, { "    count: {type: integr, description: How many.}" })
  wait(function() return #vim.diagnostic.get(0) > 1 end)
  vim.cmd("redraw")
  shown.cells = cells()
  write()
end

vim.api.nvim_create_autocmd("VimEnter", {
  nested = true,
  callback = function()
    local done, error = pcall(drive)
    if not done then
      shown.error = tostring(error)
      write()
    end
  end,
})
