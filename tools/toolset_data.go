package tools

import (
	"slices"
	"sync"
)

// legacyToolset gives the toolset that an old name stands for, empty for none.
func legacyToolset(name string) string {
	switch name {
	case "web_tools", "terminal_tools", "vision_tools", "moa_tools", "skills_tools",
		"browser_tools", "cronjob_tools", "file_tools", "tts_tools":
		return name[:len(name)-len("_tools")]
	case "image_tools":
		return "image_gen"
	}
	return ""
}

// staticToolsets are the toolsets of the Hermes Agent system by name. Their
// names appear in configurations, so a set stays here even while none of its
// tools is registered.
var staticToolsets = sync.OnceValue(func() map[string]toolset {
	sets := map[string]toolset{
		"debugging":      {tools: []string{"terminal", "process"}, includes: []string{"web", "file"}},
		"safe":           {includes: []string{"web", "vision", "image_gen"}},
		"coding":         {tools: codingTools()},
		"context_engine": {},
	}
	for name, tools := range plainToolsets() {
		sets[name] = toolset{tools: tools}
	}
	core := coreTools()
	sets["hermes-cli"] = toolset{tools: core}
	sets["hermes-cron"] = toolset{tools: core}
	sets["hermes-discord"] = toolset{tools: core, includes: []string{"discord", "discord_admin"}}
	sets["hermes-feishu"] = toolset{tools: core, includes: []string{"feishu_doc", "feishu_drive"}}
	sets["hermes-yuanbao"] = toolset{tools: core, includes: []string{"yuanbao"}}
	sets["hermes-acp"] = toolset{tools: without(codingTools(), "clarify", "read_terminal")}
	sets["hermes-api-server"] = toolset{tools: without(core, append(plainToolsets()["kanban"],
		"clarify", "send_message", "text_to_speech", "computer_use", "read_terminal")...)}
	sets["hermes-webhook"] = toolset{tools: []string{"web_search", "web_extract", "vision_analyze", "clarify"}}
	sets["hermes-gateway"] = toolset{includes: []string{"hermes-cli", "hermes-cron", "hermes-discord",
		"hermes-feishu", "hermes-yuanbao", "hermes-acp", "hermes-api-server", "hermes-webhook"}}
	return sets
})

// plainToolsets are the toolsets that include no other.
func plainToolsets() map[string][]string {
	return map[string][]string{
		"web":            {"web_search", "web_extract"},
		"search":         {"web_search"},
		"file":           {"read_file", "write_file", "patch", "search_files"},
		"terminal":       {"terminal", "process"},
		"code_execution": {"execute_code"},
		"delegation":     {"delegate_task"},
		"clarify":        {"clarify"},
		"todo":           {"todo"},
		"memory":         {"memory", "learnings"},
		"session_search": {"session_search"},
		"cronjob":        {"cronjob"},
		"tts":            {"text_to_speech"},
		"messaging":      {"send_message"},
		"vision":         {"vision_analyze"},
		"video":          {"video_analyze"},
		"image_gen":      {"image_generate"},
		"video_gen":      {"video_generate"},
		"moa":            {"mixture_of_agents"},
		"x_search":       {"x_search"},
		"computer_use":   {"computer_use"},
		"skills":         {"skills_list", "skill_view", "skill_manage"},
		"browser": {"browser_navigate", "browser_snapshot", "browser_click", "browser_type", "browser_scroll",
			"browser_back", "browser_press", "browser_get_images", "browser_vision", "browser_console",
			"browser_cdp", "browser_dialog", "web_search"},
		"homeassistant": {"ha_list_entities", "ha_get_state", "ha_list_services", "ha_call_service"},
		"kanban": {"kanban_show", "kanban_list", "kanban_complete", "kanban_block", "kanban_heartbeat",
			"kanban_comment", "kanban_create", "kanban_link", "kanban_unblock"},
		"discord":       {"discord"},
		"discord_admin": {"discord_admin"},
		"feishu_doc":    {"feishu_doc_read"},
		"feishu_drive": {"feishu_drive_add_comment", "feishu_drive_list_comments",
			"feishu_drive_list_comment_replies", "feishu_drive_reply_comment"},
		"yuanbao": {"yb_query_group_info", "yb_query_group_members", "yb_search_sticker", "yb_send_dm",
			"yb_send_sticker"},
		"spotify": {"spotify_albums", "spotify_devices", "spotify_library", "spotify_playback",
			"spotify_playlists", "spotify_queue", "spotify_search"},
	}
}

// codingTools are the tools of the coding posture.
func codingTools() []string {
	tools := []string{"terminal", "process", "read_terminal", "vision_analyze", "todo", "memory", "learnings",
		"session_search", "clarify", "execute_code", "delegate_task"}
	return withSets(tools, "web", "file", "skills", "browser")
}

// coreTools are the tools a user at a terminal gets.
func coreTools() []string {
	tools := append(codingTools(), "image_generate", "text_to_speech", "cronjob", "send_message", "computer_use")
	return withSets(tools, "homeassistant", "kanban")
}

// withSets appends the tools of plain toolsets.
func withSets(tools []string, names ...string) []string {
	plain := plainToolsets()
	for _, name := range names {
		tools = append(tools, plain[name]...)
	}
	return tools
}

// without copies a list less some of its elements.
func without(list []string, drop ...string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(drop, s) })
}
